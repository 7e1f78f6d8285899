import type { Environment, Role } from '@switchyard/contract/accounts/account';
import { createContext, useContext } from 'react';

/** The account that is signed in. */
export interface Session {
  id: string;
  email: string;
  role: Role;
  isAdmin: boolean;
  /** The operator's name for this gateway. */
  environment: Environment | null;
  /** True while a restored gateway works on nothing. */
  isQuiet: boolean;
}

/** The frame provides it; pages are only shown to a user who is signed in. */
export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('A page is shown without a session.');
  return session;
}
