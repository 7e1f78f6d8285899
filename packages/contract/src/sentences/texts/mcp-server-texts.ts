/** A test of an MCP server. */
export const mcpServerTexts = {
  server_refused: 'Nothing listens at the address of the server.',
  server_unknown: 'The host name of the server is not known here.',
  server_unreachable: 'There is no way to the server from here.',
  server_broke_off: 'The server broke off the connection.',
  server_tls_failed: 'The secure connection to the server failed. Check its certificate.',
  server_answered: 'The server answered {status}: {cause}',
  server_leads_on: 'The address answered {status}; configure the one that it leads to.',
  answer_too_large: 'The answer is larger than {bytes} bytes.',
  answer_line_too_large: 'A line of the answer is larger than {bytes} bytes.',
  program_missing: 'There is no program {command} on this machine.',
  program_ended: 'The program ended before it answered.',
} as const;
