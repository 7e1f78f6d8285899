/** An account or an agent. */
export const accountTexts = {
  email_incomplete: 'value is not a valid email address: it needs a name, @ and a domain',
  email_wrong: 'value is not a valid email address: {cause}',
  email_no_at: 'An email address must have an @-sign.',
  email_no_name: 'There must be something before the @-sign.',
  email_no_domain: 'There must be something after the @-sign.',
  email_too_long: 'The email address is too long.',
  email_name_characters: 'The email address contains invalid characters before the @-sign.',
  email_no_period: 'The part after the @-sign is not valid. It should have a period.',
  email_no_domain_name: 'The part after the @-sign is not a valid domain name.',
  password_too_long: 'Value error, Password is longer than {count} bytes; choose a shorter one.',
  password_common: 'Value error, Password is too common; choose a stronger password.',
  scope_alone:
    'The scope {scope} stands alone: make one token with it, and another one with the other scopes.',
  agent_present: "Agent '{name}' already exists",
  agent_name_taken: "'{name}' means something else here. Choose another name.",
  agent_unloadable: 'This agent cannot be loaded. {cause}',
  model_unknown: "Value error, model '{model}' is not configured; these are: {names}",
} as const;
