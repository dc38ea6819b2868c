"""What the commands print for people, for programs and for spreadsheets."""
