"""Boards, trees and graphs drawn by matplotlib, in one style."""
