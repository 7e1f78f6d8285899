import { createClient } from '@switchyard/client/client';
import { browserCookies } from '@switchyard/client/cookies';

/** The typed client of the gateway that served this page. */
export const gateway = createClient({ baseUrl: window.location.origin, cookies: browserCookies() });
