/** Settings of an MCP server. */
export const mcpSettingTexts = {
  mcp_setting: 'mcp_servers.{path}: {cause}',
  mcp_command_not_listed: 'Must be one of mcp.allowed_commands of the configuration, which has {names}.',
  mcp_commands_empty: 'Must be one of mcp.allowed_commands of the configuration, which is empty.',
  mcp_argument_runs_code: "Must not have '{flag}', which runs code.",
  mcp_variable_runs_code: 'This variable can make the process run other code, so it is not allowed.',
  mcp_null_characters: 'NUL characters are not allowed in args and env.',
  mcp_address_scheme: 'Must be an http or https address.',
  mcp_address_credentials: 'Must not hold credentials; put them into headers.',
  mcp_header_characters: 'Has characters that HTTP does not allow in a header.',
  mcp_server_unreadable:
    "extensions_config.json: the MCP server '{name}' is not set up as this version understands it.",
} as const;
