/** A call to a worker. */
export const workerCallTexts = {
  call_refused: '{address} refused the connection. Is ComfyUI running there, started with --listen?',
  call_timed_out: '{address} did not answer in time.',
  call_unreachable: '{address} cannot be reached from here.',
  call_name_not_found: 'The host name of {address} is not known here.',
  call_tls_failed: "No secure connection to {address}. Check the server's tls setting and its certificate.",
  call_wants_password: "{address} wants a password. Set the server's headers, for example Authorization.",
  call_not_comfyui: 'What answers at {address} is not ComfyUI.',
  call_too_old: 'The ComfyUI at {address} chooses its own prompt ids. Update it.',
  call_host_not_allowed: '{address} is an address that workers may not have.',
  call_broken_off: '{address} broke off the connection.',
  call_bad_answer: '{address} gave an answer that makes no sense.',
  call_too_large: 'The answer of {address} is larger than allowed.',
  call_aborted: 'The call to {address} was given up.',
  history_unreadable: '{address} keeps a history entry that makes no sense.',
} as const;
