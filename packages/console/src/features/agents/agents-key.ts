/** What the cache knows the agents by. */
export const agentsKey = ['agents'];
