import { type ReactNode, type Ref, useState } from 'react';
import { Input, Label, SearchField } from 'react-aria-components';
import { useWords } from '../../words/words.js';
import type { QueueFilter } from './filter.js';

interface Props {
  readonly filter: QueueFilter;
  readonly input: Ref<HTMLInputElement>;
  readonly onFilter: (filter: QueueFilter) => void;
  /** Called when the person leaves the search by Escape. */
  readonly onLeave: () => void;
}

/** The search of the queue. It is part of the filter. */
export function Search({ filter, input, onFilter, onLeave }: Props): ReactNode {
  const words = useWords();
  const { q: asked = '' } = filter;
  const [shown, setShown] = useState({ asked, text: asked });
  // an address with another search replaces what was typed
  if (shown.asked !== asked) setShown({ asked, text: asked });
  return (
    <SearchField
      className="queue-search"
      value={shown.text}
      onChange={(text) => setShown({ asked, text })}
      maxLength={200}
      onSubmit={(q) => onFilter({ ...filter, q })}
      onClear={() => onFilter({ ...filter, q: '' })}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onLeave();
      }}
    >
      <Label className="only-spoken">{words('queue.search')}</Label>
      <Input ref={input} className="input" placeholder={words('queue.search')} />
    </SearchField>
  );
}
