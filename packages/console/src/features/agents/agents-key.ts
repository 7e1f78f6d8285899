export const agentsKey = ['agents'];
