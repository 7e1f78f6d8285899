/** Turns texts into vectors whose angles show how near their meanings are. */
export interface Embedder {
  /** The model that makes the vectors. Those of two models are never compared. */
  model: string;
  /** Returns one vector for each text, each of length 1. Throws `model_unavailable` when the model does not answer. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

/** The index of meanings of the store. */
export interface StoreIndex {
  embedder: Embedder;
  /** Paths into a value whose texts are indexed, for items that name none themselves; `$` is the whole value. */
  fields: readonly string[];
}
