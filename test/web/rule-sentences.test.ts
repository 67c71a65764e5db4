import { describe, expect, test } from '@jest/globals'
import { numberStructure } from '../../src/domain/structure/numbering.ts'
import { normaliseStructure } from '../../src/domain/structure/structure.ts'
import { type AnyCondition, conditionSummary } from '../../src/web/app/builder/condition-summary.ts'
import { skipSummaries } from '../../src/web/app/builder/skip-target.ts'
import { inLocale } from '../../src/web/i18n/page-locale.ts'

const drink = { question: 'drink', op: 'eq' as const, value: 1 }
const skip = [
  { to: 2 },
  { to: 2, when: drink },
  { to: 'complete' },
  { to: 'complete', when: drink },
  { to: 'terminate', when: drink },
]
const { structure } = numberStructure(
  normaliseStructure({
    title: 'Lunch',
    form: [
      {
        skip,
        children: [
          { idname: 'single-choice', id: 'drink', title: 'Drink?', choices: [{ label: 'Tea' }, { label: 'Coffee' }] },
          { idname: 'number', id: 'age', title: 'Age?' },
          {
            idname: 'single-choice-grid',
            id: 'rating',
            title: 'Rating?',
            choices: [{ label: 'Good' }, { label: 'Bad' }],
            children: [{ label: 'Price' }],
          },
        ],
      },
      { children: [] },
    ],
  }),
)

const age = { question: 'age', op: 'gt' as const, value: 17 }
const sentences: [condition: AnyCondition, english: string, german: string][] = [
  [drink, '“Drink?” is Coffee', 'die Antwort auf „Drink?“ „Coffee“ ist'],
  [{ ...drink, op: 'ne' }, '“Drink?” is not Coffee', 'die Antwort auf „Drink?“ nicht „Coffee“ ist'],
  [{ ...age, op: 'lt' }, '“Age?” is less than 17', 'die Antwort auf „Age?“ kleiner als 17 ist'],
  [age, '“Age?” is more than 17', 'die Antwort auf „Age?“ größer als 17 ist'],
  [{ ...drink, op: 'contains' }, '“Drink?” contains Coffee', 'die Antwort auf „Drink?“ „Coffee“ enthält'],
  [{ question: 'age', op: 'answered' }, '“Age?” is answered', '„Age?“ beantwortet ist'],
  [{ question: 'age', op: 'unanswered' }, '“Age?” is not answered', '„Age?“ nicht beantwortet ist'],
  [
    { question: 'rating_0', op: 'eq' as const, value: 0 },
    '“Rating?” (Price) is Good',
    'die Antwort auf „Rating?“ (Price) „Good“ ist',
  ],
  [
    { any: [{ all: [drink, age] }, { question: 'age', op: 'unanswered' }] },
    '(“Drink?” is Coffee and “Age?” is more than 17) or “Age?” is not answered',
    '(die Antwort auf „Drink?“ „Coffee“ ist und die Antwort auf „Age?“ größer als 17 ist) oder „Age?“ nicht beantwortet ist',
  ],
  [{ any: [] }, 'no rule is met', 'keine Regel erfüllt ist'],
]

describe('the clause after “if”', () => {
  test.each(sentences)('states the condition %j in the word order of each language', (condition, english, german) => {
    expect(conditionSummary(condition, structure, 'en')).toBe(english)
    expect(inLocale({ language: 'de', timeZone: 'UTC' }, () => conditionSummary(condition, structure, 'en'))).toBe(
      german,
    )
  })
})

describe('the sentence of a skip', () => {
  test('has the word order of each language', () => {
    expect(skipSummaries(structure, 0, 'en')).toEqual([
      'go to Page 2',
      'go to Page 2 if “Drink?” is Coffee',
      'finish the survey',
      'finish the survey if “Drink?” is Coffee',
      'go to the end if “Drink?” is Coffee: the respondent is screened out',
    ])
    expect(inLocale({ language: 'de', timeZone: 'UTC' }, () => skipSummaries(structure, 0, 'en'))).toEqual([
      'weiter mit Seite 2',
      'weiter mit Seite 2, wenn die Antwort auf „Drink?“ „Coffee“ ist',
      'die Umfrage abschließen',
      'die Umfrage abschließen, wenn die Antwort auf „Drink?“ „Coffee“ ist',
      'Ende der Umfrage, wenn die Antwort auf „Drink?“ „Coffee“ ist. Die befragte Person wird ausgeschlossen',
    ])
  })
})
