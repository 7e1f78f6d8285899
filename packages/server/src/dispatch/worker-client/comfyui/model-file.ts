const modelFile = /\.(safetensors|sft|ckpt|pt|pth|bin|gguf|onnx|engine|pkl)$/i;

export function isModelFile(name: string): boolean {
  return modelFile.test(name);
}
