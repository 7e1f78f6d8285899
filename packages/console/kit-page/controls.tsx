import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, type ButtonVariant, IconButton, LinkButton } from '../src/kit/button.tsx';
import { Checkbox } from '../src/kit/checkbox.tsx';
import { useCommandHint } from '../src/kit/command-hint.tsx';
import { Menu } from '../src/kit/menu.tsx';
import { Select } from '../src/kit/select.tsx';
import { Switch } from '../src/kit/switch.tsx';
import { TabLinks } from '../src/kit/tab-links.tsx';
import { Full, Part, State } from './specimen.tsx';

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;
const variants: ButtonVariant[] = ['solid', 'quiet', 'plain', 'danger'];
const nothing = () => undefined;

/** The parts that a user presses, switches and chooses. */
export function Controls() {
  return (
    <>
      <Buttons />
      <Choices />
      <Part name="Menu">
        <State name="Three dots; checked, dangerous and disabled items">
          <Menu
            label="Actions of box-a"
            items={[
              { label: 'Test instance', onSelect: nothing, command: 'switchyard instances test box-a' },
              { label: 'Show the owner', onSelect: nothing, checked: true },
              { label: 'Open page', href: '#menu' },
              { label: 'Move to front', onSelect: nothing, disabled: true },
              { label: 'Remove instance', onSelect: nothing, danger: true, separated: true },
            ]}
          />
        </State>
        <State name="With a trigger of its own">
          <Menu
            label="Run again"
            trigger={<Button>Run again</Button>}
            items={[{ label: 'With the same seed', onSelect: nothing }]}
          />
        </State>
      </Part>
      <Part name="TabLinks">
        <State name="The first is current; one has a count" isWide>
          <Full>
            <TabLinks
              label="Views"
              tabs={[
                { label: 'All', href: '#all', current: true },
                { label: 'Waiting', href: '#waiting', current: false, count: 12 },
                { label: 'Failed', href: '#failed', current: false },
              ]}
            />
          </Full>
        </State>
      </Part>
    </>
  );
}

function Buttons() {
  const hint = useCommandHint('switchyard run workflow.json --wait');
  return (
    <>
      <Part name="Button">
        {variants.map((variant) => (
          <State key={variant} name={variant}>
            <Button variant={variant}>Run workflow</Button>
            <Button variant={variant} size="s">
              Small
            </Button>
            <Button variant={variant} icon={<Plus {...icon} />}>
              With an icon
            </Button>
            <Button variant={variant} disabled>
              Disabled
            </Button>
            <Button variant={variant} isBusy>
              Busy
            </Button>
          </State>
        ))}
      </Part>
      <Part name="IconButton and LinkButton">
        <State name="IconButton: plain, quiet, disabled">
          <IconButton label="Delete the task" icon={<Trash2 {...icon} />} />
          <IconButton label="Delete the file" icon={<Trash2 {...icon} />} variant="quiet" />
          <IconButton label="Delete the run" icon={<Trash2 {...icon} />} disabled />
        </State>
        <State name="LinkButton">
          <LinkButton href="#workflows">Open workflows</LinkButton>
          <LinkButton href="#solid" variant="solid">
            Solid
          </LinkButton>
        </State>
      </Part>
      <Part name="Command hint">
        <State name="Press . while it has the focus or the pointer">
          <Button {...hint}>Run with a command</Button>
        </State>
      </Part>
    </>
  );
}

function Choices() {
  const [isOn, setOn] = useState(true);
  const [value, setValue] = useState('all');
  const options = [
    { value: 'all', label: 'All instances' },
    { value: 'box-a', label: 'box-a' },
    { value: 'long', label: 'An instance whose name is longer than there is room for' },
  ];
  return (
    <>
      <Part name="Checkbox">
        <State name="Off, on, mixed, disabled">
          <Checkbox label="Off" checked={false} onChange={nothing} />
          <Checkbox label="On" checked={isOn} onChange={setOn} />
          <Checkbox label="Mixed" checked={false} mixed onChange={nothing} />
          <Checkbox label="Disabled" checked disabled onChange={nothing} />
        </State>
        <State name="Without a visible label">
          <Checkbox label="Choose box-a" checked={isOn} hideLabel onChange={setOn} />
        </State>
      </Part>
      <Part name="Switch">
        <State name="Off, on, disabled">
          <Switch label="Off" checked={false} onChange={nothing} />
          <Switch label="On" checked={isOn} onChange={setOn} />
          <Switch label="Disabled" checked disabled onChange={nothing} />
        </State>
        <State name="Without a visible label">
          <Switch label="Server box-a is on" checked={isOn} hideLabel onChange={setOn} />
        </State>
      </Part>
      <Part name="Select">
        <State name="With a choice">
          <Select label="Instance" value={value} options={options} onChange={setValue} />
        </State>
        <State name="Too narrow for its choice, and disabled">
          <Select
            label="Long choice"
            value="long"
            options={options}
            onChange={nothing}
            className="max-w-40"
          />
          <Select label="Disabled choice" value="all" options={options} onChange={nothing} disabled />
        </State>
      </Part>
    </>
  );
}
