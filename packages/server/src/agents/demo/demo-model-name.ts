/** Under this name it appears in `/api/models`, in its messages and in the usage of runs. Apart from the model, which is loaded late. */
export const demoModelName = 'switchyard-demo';
