import { type OAuthClient, pageClient } from './oauth-client.ts';

export const ACCOUNT_CLIENT_ID = 'account-page';

/** The client of the account page, which never redeems a code: it uses the browser's session. */
export const accountClient = (endpoint: string): OAuthClient =>
  pageClient(ACCOUNT_CLIENT_ID, 'Account', `${endpoint}/account`);
