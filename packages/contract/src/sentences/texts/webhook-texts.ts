/** Calls of webhooks, and of other servers through a proxy. */
export const webhookTexts = {
  answered: 'It answered {status}.',
  no_answer_within: 'No answer within {seconds} s.',
  leads_elsewhere: '{host} leads to {address}, which may not be called.',
  receiver_refused: 'Nothing listens at the address of the receiver.',
  receiver_unknown: 'The host name of the receiver is not known here.',
  receiver_unreachable: 'There is no way to the receiver from here.',
  receiver_broke_off: 'The receiver broke off the connection.',
  receiver_tls_failed: 'The secure connection to the receiver failed. Check its certificate.',
  proxy_login:
    'The proxy {proxy} refuses our user and password (407). Correct them in HTTPS_PROXY and HTTP_PROXY, or in outbound of the configuration.',
  proxy_refuses:
    'The proxy {proxy} refuses to connect to this address ({status}). Ask its operator, or add the host to NO_PROXY.',
  proxy_unreachable:
    'The proxy {proxy} cannot be reached ({code}). Correct HTTPS_PROXY and HTTP_PROXY, or outbound of the configuration.',
} as const;
