/** Returns true for the name of a model file, in whichever input it stands. */
export function isModelFile(name: string): boolean {
  return /\.(safetensors|sft|ckpt|pt|pth|bin|gguf|onnx|engine|pkl)$/i.test(name);
}

/** Returns the name of a model without its folders, which differ between workers. */
export function modelName(path: string): string {
  return path.replace(/^.*[/\\]/s, '');
}
