import type { Link, WorkflowBuilder } from './workflow-builder.ts';

/** A change of a picture, made of nodes that every worker has. */
export interface Edit {
  /** Part of the name of the result: `half`, `inverted`. */
  word: string;
  apply: (graph: WorkflowBuilder, picture: Link) => Link;
}

type Groups = readonly (string | undefined)[];

interface EditRule {
  /** Only the first edit of a kind counts in a clause: "smaller, half size" asks for one change. */
  kind: string;
  asks: RegExp;
  edit: (groups: Groups) => Edit;
}

/** Returns the edits that a clause of a request asks for, in its order. */
export function editsIn(clause: string): Edit[] {
  let rest = clause.toLowerCase();
  const found = new Map<string, { at: number; edit: Edit }>();
  for (const { kind, asks, edit } of rules) {
    const match = asks.exec(rest);
    if (!match) continue;
    if (!found.has(kind)) found.set(kind, { at: match.index, edit: edit([...match]) });
    // Words that one rule has understood must not count for another: the size of a crop is no size to scale to.
    rest = rest.replace(match[0], (text) => ' '.repeat(text.length));
  }
  return [...found.values()].sort((a, b) => a.at - b.at).map(({ edit }) => edit);
}

/** The order matters, because each rule takes its words away from the rules after it. */
const rules: readonly EditRule[] = [
  {
    kind: 'crop',
    asks: /\bcrop\w*\b\D*?(\d{1,5})\s*(?:x|×|by)\s*(\d{1,5})(?:.*?\b(?:at|from)\s+(\d{1,5})\s*[,x]\s*(\d{1,5}))?/,
    edit: ([, width, height, x, y]) =>
      node('cropped', 'ImageCrop', {
        width: Number(width),
        height: Number(height),
        x: Number(x ?? 0),
        y: Number(y ?? 0),
      }),
  },
  {
    kind: 'invert',
    asks: /\binver(?:t|ts|ted|ting|se)\b|\bnegative\b/,
    edit: () => node('inverted', 'ImageInvert'),
  },
  {
    kind: 'rotate',
    asks: /\bupside[ -]down\b|\brotat\w*\b(?:.*?\b(90|180|270|left|right)\b)?|\bturn\w*\b.*?\b(90|180|270|left|right)\b/,
    edit: ([whole = '', rotated, turned]) =>
      rotation(whole.startsWith('upside') ? '180' : (rotated ?? turned)),
  },
  {
    kind: 'flip',
    asks: /\bmirror\w*\b|\bflip\w*\b.*?\bhorizontal\w*/,
    edit: () => flip('y-axis: horizontally'),
  },
  { kind: 'flip', asks: /\bflip\w*\b(?:.*?\bvertical\w*)?/, edit: () => flip('x-axis: vertically') },
  {
    kind: 'blur',
    asks: /\bblur\w*\b(?:.*?\bby\s+(\d{1,2})\b)?/,
    edit: ([, radius]) => node('blurred', 'ImageBlur', { blur_radius: Number(radius ?? 4), sigma: 1 }),
  },
  {
    kind: 'sharpen',
    asks: /\bsharp\w*\b/,
    edit: () => node('sharpened', 'ImageSharpen', { sharpen_radius: 1, sigma: 1, alpha: 0.5 }),
  },
  { kind: 'grey', asks: /\bgr[ae]y\b|\bgr[ae]y-?scale\w*\b|\bmonochrome\b|\bdesaturat\w*/, edit: () => grey },
  {
    kind: 'light',
    asks: /(?:\b(\d{1,2})\s*%\s*)?\bbright(?:er|en\w*)\b(?:.*?\bby\s+(\d{1,2})\s*%)?/,
    edit: ([, before, behind]) => light('brighter', 'screen', share(before ?? behind)),
  },
  {
    kind: 'light',
    asks: /(?:\b(\d{1,2})\s*%\s*)?\bdark(?:er|en\w*)\b(?:.*?\bby\s+(\d{1,2})\s*%)?/,
    edit: ([, before, behind]) => light('darker', 'multiply', 1 - share(before ?? behind)),
  },
  { kind: 'contrast', asks: /\b(?:less|lower|reduce\w*)\b.*?\bcontrast\b/, edit: () => lessContrast },
  { kind: 'contrast', asks: /\bcontrast\b/, edit: () => moreContrast },
  {
    kind: 'colours',
    asks: /\b(\d{1,3})\s+colou?rs\b|\bposteri[sz]e\w*|\bquanti[sz]e\w*/,
    edit: ([, colors]) =>
      node('posterized', 'ImageQuantize', { colors: Number(colors ?? 8), dither: 'none' }),
  },
  {
    kind: 'border',
    asks: /\b(?:(\d{1,3})\s*(?:px|pixels?)\s+)?(?:border|frame|padding)\b/,
    edit: ([, width]) => border(Number(width ?? 32)),
  },
  { kind: 'size', asks: /\bthumbnail\b|\bicon\b/, edit: () => scale('thumbnail', 128, 128, 'center') },
  {
    kind: 'size',
    asks: /\b(\d{1,5})\s*(?:x|×|by)\s*(\d{1,5})\b/,
    edit: ([, width, height]) => scale(`${width}x${height}`, Number(width), Number(height)),
  },
  {
    kind: 'size',
    asks: /\b(\d{1,5})\s*(?:px|pixels?)?\s*(?:high|tall)\b/,
    edit: ([, height]) => scale(`${height}-high`, 0, Number(height)),
  },
  {
    kind: 'size',
    asks: /\b(\d{1,5})\s*(?:(?:px|pixels?)(?:\s+wide)?|wide)\b/,
    edit: ([, width]) => scale(`${width}-wide`, Number(width), 0),
  },
  {
    kind: 'size',
    asks: /\b(\d{1,3})\s*(?:%|percent)\s*(smaller|larger|bigger)?/,
    edit: ([, percent, way]) => scaleBy(factorOf(Number(percent), way)),
  },
  { kind: 'size', asks: /\bquarter\b/, edit: () => scaleBy(0.25, 'quarter') },
  {
    kind: 'size',
    asks: /\bhalf\b|\bhalve\w*|\bsmaller\b|\bshr[iu]nk\w*|\bdownscale\w*/,
    edit: () => scaleBy(0.5, 'smaller'),
  },
  {
    kind: 'size',
    asks: /\bdouble\w*|\btwice\b|\bbigger\b|\blarger\b|\benlarge\w*|\bupscale\w*/,
    edit: () => scaleBy(2, 'larger'),
  },
];

function node(word: string, classType: string, inputs: Record<string, unknown> = {}): Edit {
  return { word, apply: (graph, image) => graph.add(word, classType, { image, ...inputs }) };
}

function scale(word: string, width: number, height: number, crop = 'disabled'): Edit {
  return node(word, 'ImageScale', { upscale_method: 'lanczos', width, height, crop });
}

function scaleBy(factor: number, word = `${Math.round(factor * 100)}-percent`): Edit {
  return node(word, 'ImageScaleBy', { upscale_method: 'lanczos', scale_by: factor });
}

function factorOf(percent: number, way: string | undefined): number {
  const signed = way === 'smaller' ? 100 - percent : way === undefined ? percent : 100 + percent;
  return Math.min(Math.max(signed, 1), 800) / 100;
}

function rotation(way = 'right'): Edit {
  const degrees = { left: '270', right: '90' }[way] ?? way;
  return node('rotated', 'ImageRotate', { rotation: `${degrees} degrees` });
}

function flip(method: string): Edit {
  return node(method.startsWith('x') ? 'flipped' : 'mirrored', 'ImageFlip', { flip_method: method });
}

function border(width: number): Edit {
  const sides = { left: width, top: width, right: width, bottom: width };
  return node('framed', 'ImagePadForOutpaint', { ...sides, feathering: 0 });
}

function share(percent: string | undefined): number {
  return Number(percent ?? 30) / 100;
}

function blend(graph: WorkflowBuilder, title: string, inputs: Record<string, unknown>): Link {
  return graph.add(title, 'ImageBlend', { blend_factor: 1, blend_mode: 'normal', ...inputs });
}

/** Makes a plain grey picture, which ComfyUI stretches over the other one. */
function plainGrey(graph: WorkflowBuilder, level: number): Link {
  const channel = Math.round(level * 255);
  const color = channel * 0x010101;
  return graph.add('Grey', 'EmptyImage', { width: 16, height: 16, batch_size: 1, color });
}

function light(word: string, mode: 'screen' | 'multiply', level: number): Edit {
  return {
    word,
    apply: (graph, image1) =>
      blend(graph, word, { image1, image2: plainGrey(graph, level), blend_mode: mode }),
  };
}

const moreContrast: Edit = {
  word: 'contrast',
  apply: (graph, image) =>
    blend(graph, 'More contrast', { image1: image, image2: image, blend_factor: 0.6, blend_mode: 'overlay' }),
};

const lessContrast: Edit = {
  word: 'soft',
  apply: (graph, image1) =>
    blend(graph, 'Less contrast', { image1, image2: plainGrey(graph, 0.5), blend_factor: 0.4 }),
};

/** Weighs red, green and blue as eyes see them. No single node does this on every worker. */
const grey: Edit = {
  word: 'grey',
  apply: (graph, image) => {
    const channel = (name: string): Link => {
      const mask = graph.add(`The ${name} of it`, 'ImageToMask', { image, channel: name });
      return graph.add(`${name} as grey`, 'MaskToImage', { mask });
    };
    const redAndGreen = blend(graph, 'Red and green', {
      image1: channel('red'),
      image2: channel('green'),
      blend_factor: 0.66,
    });
    return blend(graph, 'Grey', { image1: redAndGreen, image2: channel('blue'), blend_factor: 0.11 });
  },
};
