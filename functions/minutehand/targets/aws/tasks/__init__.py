"""Targets of type `ecs`: a run starts a task of ECS."""
