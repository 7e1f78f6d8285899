/** Key in a call's metadata that holds the configured name of its model. */
export const modelNameKey = 'switchyard_model';
