/** A call of a webhook. */
export const webhookTexts = {
  answered: 'It answered {status}.',
  no_answer_within: 'No answer within {seconds} s.',
  leads_elsewhere: '{host} leads to {address}, which may not be called.',
  receiver_refused: 'Nothing listens at the address of the receiver.',
  receiver_unknown: 'The host name of the receiver is not known here.',
  receiver_unreachable: 'There is no way to the receiver from here.',
  receiver_broke_off: 'The receiver broke off the connection.',
  receiver_tls_failed: 'The secure connection to the receiver failed. Check its certificate.',
} as const;
