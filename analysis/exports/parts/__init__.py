"""The part of a solution that is exported: which classes, handed on in blocks."""
