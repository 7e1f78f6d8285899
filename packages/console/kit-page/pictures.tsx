import { useState } from 'react';
import { ChooseCircle } from '../src/kit/pictures/choose-circle.tsx';
import { Compare } from '../src/kit/pictures/compare.tsx';
import { JustifiedGrid } from '../src/kit/pictures/justified-grid.tsx';
import { fileAddress } from '../src/kit/pictures/picture.ts';
import { PictureButton } from '../src/kit/pictures/picture-button.tsx';
import { Thumb } from '../src/kit/pictures/thumb.tsx';
import { wholePicture } from '../src/kit/pictures/zoom.ts';
import { ZoomedPicture } from '../src/kit/pictures/zoomed-picture.tsx';
import { RecipeDifferences } from '../src/kit/results/recipe-differences.tsx';
import { ResultMenu } from '../src/kit/results/result-menu.tsx';
import { pictureOf } from './sample-pictures.ts';
import { Full, Part, State } from './specimen.tsx';

const items = [
  pictureOf('wide', 960, 480),
  pictureOf('tall', 480, 720),
  pictureOf('square', 512, 512),
  pictureOf('other', 640, 480),
];

const sound = { fileId: 'kit-sound', filename: 'voice_00001_.mp3', contentType: 'audio/mpeg' };

/** Parts that show the pictures of workers. */
export function Pictures() {
  const [zoom, setZoom] = useState(wholePicture);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['kit-tall']));
  return (
    <>
      <Part name="Thumb">
        <State name="A picture, a sound and a model">
          <Thumb fileId="kit-square" alt="A square" size={56} />
          <Thumb fileId="kit-sound" alt="A sound" size={56} contentType="audio/mpeg" />
          <Thumb fileId="kit-model" alt="A model" size={56} contentType="model/gltf-binary" />
        </State>
      </Part>
      <Part name="PictureButton">
        <State name="A picture, a word while there is none, and a file that is not a picture">
          {[pictureOf('square', 512, 512), null, sound].map((file) => (
            <PictureButton
              key={file?.fileId ?? 'none'}
              label={file === sound ? 'A cell with a sound' : 'A cell, running'}
              file={file}
              cssPixels={96}
              className="relative size-24 rounded-control border border-border bg-surface text-meta"
            >
              running
            </PictureButton>
          ))}
        </State>
      </Part>
      <Part name="ChooseCircle">
        <State name="Free, and chosen, in both sizes">
          {(['m', 's'] as const).flatMap((size) =>
            [false, true].map((isChosen) => (
              <div key={`${size} ${isChosen}`} className="group relative size-11 rounded-control bg-sunken">
                <ChooseCircle
                  size={size}
                  label="Choose a picture"
                  isChosen={isChosen}
                  isShown
                  onChoose={() => undefined}
                />
              </div>
            )),
          )}
        </State>
      </Part>
      <Part name="JustifiedGrid">
        <State name="Four pictures, of which one is chosen" isWide>
          <Full>
            <JustifiedGrid
              items={items}
              label="Pictures"
              rowHeight={120}
              altOf={({ filename }) => filename}
              commandOf={({ fileId }) => `switchyard files recipe ${fileId}`}
              chosen={chosen}
              onChoose={({ fileId }) =>
                setChosen(
                  new Set(
                    chosen.has(fileId) ? [...chosen].filter((id) => id !== fileId) : [...chosen, fileId],
                  ),
                )
              }
              onOpen={() => undefined}
            />
          </Full>
        </State>
      </Part>
      <Part name="ZoomedPicture">
        <State name="A picture that can be zoomed" isWide>
          <div className="relative h-80 w-full bg-sunken">
            <ZoomedPicture
              src={fileAddress(pictureOf('wide', 960, 480))}
              alt="A wide picture"
              zoom={zoom}
              onZoom={setZoom}
            />
          </div>
        </State>
      </Part>
      <Part name="ResultMenu">
        <State name="Where a result leads on">
          <ResultMenu file={pictureOf('square', 512, 512)} />
        </State>
      </Part>
      <Part name="RecipeDifferences">
        <State name="Two results that were asked for differently" isWide>
          <RecipeDifferences ids={['kit-left', 'kit-right']} />
        </State>
      </Part>
      <Part name="Compare">
        <State name="Two pictures in one place" isWide>
          <div className="flex h-80 w-full">
            <Compare pictures={[pictureOf('left'), pictureOf('right')]} />
          </div>
        </State>
        <State name="Four pictures of different sizes" isWide>
          <div className="flex h-80 w-full">
            <Compare pictures={items} />
          </div>
        </State>
      </Part>
    </>
  );
}
