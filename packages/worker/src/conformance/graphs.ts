import { randomInt } from 'node:crypto';

/** Graphs whose nodes exist in genuine ComfyUI 0.3.64 and need no model. */
export type TestGraph = Record<
  string,
  { class_type?: string; inputs?: Record<string, unknown>; _meta?: unknown }
>;

/** A colour that no other prompt uses, so that nothing is cached by accident. */
function freshColour(): number {
  return randomInt(0x1000000);
}

export function emptyImage(inputs: Record<string, unknown> = {}): TestGraph[string] {
  return {
    class_type: 'EmptyImage',
    inputs: { width: 16, height: 8, batch_size: 1, color: freshColour(), ...inputs },
  };
}

/** 1 makes a picture, 2 inverts it, 3 saves it. */
export function savedImage(inputs: Record<string, unknown> = {}): TestGraph {
  return {
    '1': emptyImage(inputs),
    '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
    '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'conformance/picture' } },
  };
}

/** Takes some seconds, in steps of less than about a second. */
export function slowChain(links = 60): TestGraph {
  const graph: TestGraph = { '1': emptyImage({ width: 640, height: 640 }) };
  for (let link = 2; link <= links + 1; link += 1)
    graph[link] = {
      class_type: 'ImageBlur',
      inputs: { image: [String(link - 1), 0], blur_radius: 12, sigma: 1 },
    };
  graph.out = { class_type: 'PreviewImage', inputs: { images: [String(links + 1), 0] } };
  return graph;
}

/** Sends progress ticks and pictures on the socket, and writes no file. */
export function websocketImages(frames = 2): TestGraph {
  return {
    '1': emptyImage({ batch_size: frames }),
    '2': { class_type: 'SaveImageWebsocket', inputs: { images: ['1', 0] } },
  };
}

/** Fails while it runs: the blur is wider than the picture. */
export function failingBlur(): TestGraph {
  return {
    '1': emptyImage({ width: 8, height: 8 }),
    '2': { class_type: 'ImageBlur', inputs: { image: ['1', 0], blur_radius: 31, sigma: 1 } },
    '3': { class_type: 'PreviewImage', inputs: { images: ['2', 0] } },
  };
}

export function loadedImage(image: string): TestGraph {
  return {
    '1': { class_type: 'LoadImage', inputs: { image } },
    '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
  };
}
