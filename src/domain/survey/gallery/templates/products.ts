import {
  exclusive,
  is,
  isOneOf,
  likelihood,
  multiple,
  other,
  page,
  paragraph,
  ranking,
  single,
  yesNo,
} from '../authoring.ts'
import type { GalleryDraft } from '../gallery.ts'
import { EASE, SATISFACTION } from '../scales.ts'

/** The condition that the respondent has used the product. */
const HAS_USED = isOneOf('duration', [0, 1, 2, 3])

export const productTemplates: readonly GalleryDraft[] = [
  {
    id: 'product-feedback',
    name: 'Product feedback',
    description: 'For people who use your product. Asks how they use it, what is missing, and what matters most.',
    category: 'Products',
    languages: ['en', 'de'],
    structure: {
      title: 'Your experience with our product',
      description: 'About three minutes. There are no right or wrong answers.',
      form: [
        page('How you use it', [
          single(
            'duration',
            'How long have you used the product?',
            ['Less than a month', '1 to 6 months', '7 to 12 months', 'More than a year', 'I have not used it yet'],
            { required: true },
          ),
          single('frequency', 'How often do you use it?', ['Every day', 'Every week', 'Every month', 'Less often'], {
            condition: HAS_USED,
          }),
          multiple(
            'purposes',
            'What do you use it for?',
            ['For work', 'For study', 'For a hobby', other('For something else')],
            {
              condition: HAS_USED,
            },
          ),
        ]),
        page(
          'What you think of it',
          [
            single('satisfaction', 'Overall, how satisfied or dissatisfied are you with the product?', SATISFACTION, {
              required: true,
            }),
            single('ease', 'How easy or difficult is it to use?', EASE, { required: true }),
            ranking(
              'priorities',
              'What should we improve first?',
              ['Reliability', 'Speed', 'Ease of use', 'Features', 'Price', 'Documentation and support'],
              {
                description: 'Put the most important first.',
              },
            ),
            multiple(
              'problems',
              'Which problems have you had in the last month?',
              [
                'Errors or crashes',
                'Slow response',
                'Something that I could not find',
                'Something that I did not understand',
                other('Another problem'),
                exclusive('None of these'),
              ],
              { randomize: false },
            ),
            paragraph('missing', 'What is missing or does not work well for you?'),
          ],
          { condition: HAS_USED },
        ),
        page(
          'Finally',
          [
            likelihood(
              'recommendation',
              'How likely is it that you would recommend the product to a friend or colleague?',
              { required: true },
            ),
            paragraph('reason', 'What is the main reason for your score?'),
          ],
          { condition: HAS_USED },
        ),
        page('Your plans', [paragraph('obstacle', 'What has kept you from using the product so far?')], {
          condition: is('duration', 4),
        }),
      ],
    },
  },
  {
    id: 'website-feedback',
    name: 'Website feedback',
    description: 'For visitors of a website. Asks what they came for, and whether they found it.',
    category: 'Products',
    languages: ['en', 'de'],
    structure: {
      title: 'Your visit to our website',
      form: [
        page(undefined, [
          single(
            'purpose',
            'What was the main reason for your visit today?',
            [
              'To find information',
              'To buy or order something',
              'To contact you',
              'To solve a problem',
              other('Another reason'),
            ],
            { required: true },
          ),
          single(
            'success',
            'Did you do what you came to do?',
            ['Yes, completely', 'Partly', 'No', 'I am not finished yet'],
            { required: true },
          ),
          paragraph('obstacle', 'What stopped you or made it difficult?', {
            condition: isOneOf('success', [1, 2]),
          }),
          single('ease', 'How easy or difficult was it to find what you needed?', EASE),
          single('device', 'Which device did you use?', ['A computer', 'A phone', 'A tablet']),
          yesNo('assistive', 'Did you use assistive technology, such as a screen reader or a magnifier?'),
          paragraph('accessibility', 'Did any part of the website not work with it?', {
            condition: is('assistive', true),
          }),
          paragraph('improvement', 'What should we change first?'),
        ]),
      ],
    },
  },
]
