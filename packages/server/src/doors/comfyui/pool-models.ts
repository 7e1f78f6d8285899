import { choicesOf, inputsOf, type PoolDefinitions } from '../../dispatch/instances/pool-nodes.ts';

/** The folders of a ComfyUI that its own nodes load from, with the input that lists what is in them. */
const listedBy: Readonly<Record<string, readonly [nodeClass: string, input: string]>> = {
  checkpoints: ['CheckpointLoaderSimple', 'ckpt_name'],
  loras: ['LoraLoader', 'lora_name'],
  vae: ['VAELoader', 'vae_name'],
  text_encoders: ['CLIPLoader', 'clip_name'],
  diffusion_models: ['UNETLoader', 'unet_name'],
  clip_vision: ['CLIPVisionLoader', 'clip_name'],
  style_models: ['StyleModelLoader', 'style_model_name'],
  controlnet: ['ControlNetLoader', 'control_net_name'],
  gligen: ['GLIGENLoader', 'gligen_name'],
  upscale_models: ['UpscaleModelLoader', 'model_name'],
  hypernetworks: ['HypernetworkLoader', 'hypernetwork_name'],
  photomaker: ['PhotoMakerLoader', 'photomaker_model_name'],
  audio_encoders: ['AudioEncoderLoader', 'audio_encoder_name'],
  model_patches: ['ModelPatchLoader', 'name'],
};

/** The folders of models that any worker of the pool loads from. */
export function modelFolders(definitions: Pick<PoolDefinitions, 'classes'>): string[] {
  return Object.keys(listedBy).filter((folder) => modelsIn(folder, definitions) !== undefined);
}

/** Returns what any worker has in this folder, and undefined when none has a node that loads from it. */
export function modelsIn(
  folder: string,
  { classes }: Pick<PoolDefinitions, 'classes'>,
): unknown[] | undefined {
  const [nodeClass, input] = Object.hasOwn(listedBy, folder) ? (listedBy[folder] ?? []) : [];
  const definition = nodeClass === undefined ? undefined : classes.get(nodeClass);
  const listed = [...inputsOf(definition ?? {})].find(({ name }) => name === input);
  return (listed && choicesOf(listed.specification)) ?? undefined;
}

/**
 * Returns the same folders in the form that the page of ComfyUI reads. Their places on the disk of a worker are left
 * out.
 */
export function shownFolders(definitions: Pick<PoolDefinitions, 'classes'>) {
  return modelFolders(definitions).map((name) => ({ name, folders: [] }));
}

export function shownModels(folder: string, definitions: Pick<PoolDefinitions, 'classes'>) {
  return modelsIn(folder, definitions)?.map((name) => ({ name, pathIndex: 0 }));
}
