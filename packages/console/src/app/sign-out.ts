import { gateway } from '../lib/gateway.ts';

/** Ends the session and loads the console again, so that nothing of the account stays in the memory of the page. */
export async function signOut(): Promise<void> {
  await gateway.session.logout();
  window.location.assign('/');
}
