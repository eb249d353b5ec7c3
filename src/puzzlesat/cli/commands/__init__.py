"""The commands with their options and help, declared for typer; what each does stands in a module of its own in ``cli``."""
