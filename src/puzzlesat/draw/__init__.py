"""Pictures of forms, tiles and solutions."""
