/** What the cache knows the tokens by. */
export const tokensKey = ['tokens'];
