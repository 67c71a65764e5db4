import {
  dropdown,
  exclusive,
  isOneOf,
  line,
  multiple,
  number,
  other,
  page,
  paragraph,
  single,
  yesNo,
} from '../authoring.ts'
import type { GalleryDraft } from '../gallery.ts'

const REFUSAL = 'Prefer not to say'

export const researchTemplates: readonly GalleryDraft[] = [
  {
    id: 'market-research',
    name: 'Market research',
    description: 'For a sample of possible customers. Asks about habits, known brands, price and demographics.',
    category: 'Research',
    languages: ['en', 'de'],
    structure: {
      title: 'Your opinion',
      description: 'About four minutes. The answers are evaluated without names.',
      form: [
        page(
          'Your habits',
          [
            single(
              'use',
              'Have you bought a product of this kind in the last 12 months?',
              ['Yes', 'No', 'I do not know'],
              { required: true },
            ),
          ],
          { skip: [{ when: isOneOf('use', [1, 2]), to: 3 }] },
        ),
        page('Your last purchase', [
          single(
            'frequency',
            'How often do you buy such a product?',
            ['Every week', 'Every month', 'A few times a year', 'Once a year or less often'],
            { required: true },
          ),
          multiple(
            'places',
            'Where did you buy it?',
            ['In a shop', 'In an online shop', 'From the manufacturer', 'From another person', other('Somewhere else')],
            { required: true },
          ),
          multiple(
            'criteria',
            'What is most important to you when you choose?',
            ['Price', 'Quality', 'Brand', 'Design', 'Sustainability', 'Recommendations of others'],
            { required: true, maxSelected: 3, randomize: true },
          ),
          number('price', 'How much did you pay the last time?', {
            decimals: 2,
            min: 0,
            description: 'A number in your currency. An estimate is enough.',
          }),
        ]),
        page('Brands', [
          paragraph('unaided', 'Which brands of this kind come to your mind?'),
          single(
            'intention',
            'How likely or unlikely is it that you will buy such a product in the next six months?',
            ['Very unlikely', 'Unlikely', 'Neither likely nor unlikely', 'Likely', 'Very likely'],
            { required: true },
          ),
        ]),
        page('About you', [
          dropdown(
            'age',
            'How old are you?',
            ['Under 18', '18 to 24', '25 to 34', '35 to 44', '45 to 54', '55 to 64', '65 or older', REFUSAL],
            { required: true },
          ),
          single('gender', 'What is your gender?', ['Female', 'Male', 'Non-binary', other('Another'), REFUSAL]),
          dropdown('education', 'What is the highest level of education that you have completed?', [
            'No completed education',
            'Primary education',
            'Secondary education',
            'Vocational training',
            'University degree',
            'Doctorate',
            REFUSAL,
          ]),
          multiple('work', 'Which of these apply to you at the moment?', [
            'Employed full-time',
            'Employed part-time',
            'Self-employed',
            'Student or trainee',
            'Looking for work',
            'Caring for family',
            'Retired',
            exclusive(REFUSAL),
          ]),
          number('household', 'How many people live in your household, including you?', {
            min: 1,
            max: 30,
          }),
        ]),
      ],
    },
  },
  {
    id: 'demographics',
    name: 'Demographics',
    description: 'For a study, on its own or as the last page of another survey. All questions are optional.',
    category: 'Research',
    languages: ['en', 'de'],
    structure: {
      title: 'About you',
      description: 'You can leave out any question.',
      form: [
        page(undefined, [
          number('birth_year', 'In which year were you born?', { min: 1900, max: 2100 }),
          single('gender', 'What is your gender?', ['Female', 'Male', 'Non-binary', other('Another'), REFUSAL]),
          line('country', 'In which country do you live?'),
          single('area', 'Where do you live?', [
            'In a large city',
            'In a suburb of a large city',
            'In a small town',
            'In a village',
            'In the countryside',
            REFUSAL,
          ]),
          dropdown('education', 'What is the highest level of education that you have completed?', [
            'No completed education',
            'Primary education',
            'Secondary education',
            'Vocational training',
            'University degree',
            'Doctorate',
            REFUSAL,
          ]),
          yesNo('children', 'Do children under 18 live in your household?'),
          number('number_of_children', 'How many?', {
            min: 1,
            max: 20,
            condition: { all: [{ question: 'children', op: 'eq', value: true }] },
          }),
        ]),
      ],
    },
  },
]
