/** The limits of the contract for a new password. */
const passwordLimits = { minLength: 8, maxBytes: 1_024 } as const;

export type PasswordStrength = 'empty' | 'short' | 'fair' | 'good' | 'strong' | 'long';

const goodFrom = 12;
const strongFrom = 16;

/** Length is what makes a password strong. The gateway refuses the common ones, whatever their length. */
export function strengthOf(password: string): PasswordStrength {
  if (password === '') return 'empty';
  if (password.length < passwordLimits.minLength) return 'short';
  if (new TextEncoder().encode(password).length > passwordLimits.maxBytes) return 'long';
  if (password.length < goodFrom) return 'fair';
  return password.length < strongFrom ? 'good' : 'strong';
}

export function isAllowed(password: string): boolean {
  return !['empty', 'short', 'long'].includes(strengthOf(password));
}
