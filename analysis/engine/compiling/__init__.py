"""From the plain functions of rules to compiled ones, and from what goes wrong there to plain words."""
