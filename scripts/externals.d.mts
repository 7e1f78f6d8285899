export const externals: readonly string[];
