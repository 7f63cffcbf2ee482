import type { ReactNode } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover, type Selection } from 'react-aria-components';
import { Button } from '../../controls/button.js';
import { useFormats } from '../../words/formats.js';
import { shown } from '../../words/shown.js';

/** A value of a filter: what it is called, and how many findings have it. */
interface Choice {
  readonly value: string;
  readonly name: string;
  readonly count?: number | undefined;
}

interface Props {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  /** Whether several may be chosen. */
  readonly several?: boolean;
  /** Whether what is chosen is what everybody begins with. */
  readonly isUsual?: boolean;
  /** What a chosen value is called that is not among the choices now: the value, if not given. */
  readonly nameOf?: (value: string) => string;
  readonly onChoose: (values: readonly string[]) => void;
}

/** A button that opens the values of a filter. Its name has those that are chosen. */
export function Choices(props: Props): ReactNode {
  const { label, choices, chosen, several, isUsual, onChoose } = props;
  const { nameOf = (value) => value } = props;
  const formats = useFormats();
  // a value that no finding has now can still be taken away
  const missing = chosen.filter((each) => !choices.some(({ value }) => value === each));
  const all = [
    ...missing.map((value): Choice => ({ value, name: nameOf(value), count: 0 })),
    ...choices,
  ];
  const names = chosen.map((each) => all.find(({ value }) => value === each)?.name);
  return (
    <MenuTrigger>
      <Button className="queue-choice" data-chosen={(chosen.length > 0 && !isUsual) || undefined}>
        {label}
        {names.length > 0 && <bdi className="queue-chosen">{shown(names.join(', '))}</bdi>}
        <span aria-hidden>▾</span>
      </Button>
      <Popover className="popover">
        <Menu
          aria-label={label}
          className="queue-menu"
          selectionMode={several ? 'multiple' : 'single'}
          selectedKeys={chosen}
          onSelectionChange={(keys: Selection) => {
            if (keys !== 'all') onChoose([...keys].map(String));
          }}
        >
          {all.map(({ value, name, count }) => (
            <MenuItem key={value} id={value} textValue={name}>
              <span aria-hidden className="queue-tick">
                {chosen.includes(value) ? '✓' : ''}
              </span>
              <bdi className="queue-name">{name}</bdi>
              {count !== undefined && <span className="numeric">{formats.number(count)}</span>}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
