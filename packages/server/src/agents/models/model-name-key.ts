/** In a call's metadata, the name under which its model is configured. */
export const modelNameKey = 'switchyard_model';
