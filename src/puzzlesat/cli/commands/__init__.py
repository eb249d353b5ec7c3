"""The commands with their options and their help, declared for typer. Other modules of ``cli`` carry them out."""
