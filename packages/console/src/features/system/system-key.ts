/** What the cache knows the report by. */
export const systemKey = ['system'];
