export const tokensKey = ['tokens'];
