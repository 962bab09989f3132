"""JSON Web Tokens (JWT) of an OIDC issuer: its keys, read over HTTPS, and the check of signatures."""
