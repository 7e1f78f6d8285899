export const systemKey = ['system'];
