/**
 * The name under which the demo model appears in `/api/models`, in its messages and in the usage of runs. It has a file of its
 * own because the model is loaded late.
 */
export const demoModelName = 'switchyard-demo';
