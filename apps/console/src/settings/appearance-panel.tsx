import type { ReactNode } from 'react';
import { useMe } from '../app/session/me.js';
import { Check } from '../controls/check.js';
import { Choice } from '../controls/choice.js';
import { PlayingCard } from '../game/card.js';
import { LanguageChoice } from '../words/language-choice.js';
import { useWords } from '../words/words.js';
import { THEMES, usePreferences } from './preferences.js';
import { useSave } from './use-save.js';

const THEME_CHOICES = ['system', ...THEMES] as const;
const DECKS = ['four-color', 'two-color'] as const;
const SAMPLE = ['AS', 'KH', '9D', '4C'] as const;

/** Language, theme, cards, roads and the zone of times. Each applies at once. */
export function AppearancePanel(): ReactNode {
  const words = useWords();
  const save = useSave();
  const { house } = useMe();
  const { theme, deck, shapes, utc } = usePreferences();
  return (
    <section className="panel settings-panel" aria-labelledby="settings-look">
      <h2 id="settings-look">{words('settings.look')}</h2>
      <LanguageChoice keep={(language) => save({ language })} />
      <Choice
        label={words('settings.theme')}
        value={theme}
        options={THEME_CHOICES.map((value) => ({ value, name: words(`theme.${value}`) }))}
        onChange={(next) => save({ theme: next })}
      />
      <Choice
        label={words('settings.deck')}
        value={deck}
        options={DECKS.map((value) => ({ value, name: words(`deck.${value}`) }))}
        onChange={(next) => save({ deck: next })}
      />
      <div className="settings-cards">
        {SAMPLE.map((card) => (
          <PlayingCard key={card} card={card} width={48} />
        ))}
      </div>
      <Check isSelected={shapes} onChange={(next) => save({ shapes: next })}>
        {words('settings.shapes')}
      </Check>
      {house.zone !== 'UTC' && (
        <Check isSelected={utc} onChange={(next) => save({ utc: next })}>
          {words('settings.utc', { zone: house.zone })}
        </Check>
      )}
    </section>
  );
}
