/** The metadata by which other pages of this API know a conversation beside another one as well. */
export const asideMark = 'deerflow_sidecar';
