import { exclusive, grid, is, likelihood, multiple, other, page, paragraph, section, single } from '../authoring.ts'
import type { GalleryDraft } from '../gallery.ts'
import { QUALITY } from '../scales.ts'

export const publicTemplates: readonly GalleryDraft[] = [
  {
    id: 'patient-feedback',
    name: 'Patient feedback',
    description: 'For patients after a visit to a practice or a hospital. Asks about access, staff and information.',
    category: 'Health and culture',
    languages: ['en', 'de'],
    structure: {
      title: 'Your visit',
      description: 'Your answers do not affect your treatment. Please do not write your name or a diagnosis.',
      form: [
        page('Before the visit', [
          single(
            'person',
            'Who answers these questions?',
            ['The patient', 'A relative or friend of the patient', 'A carer'],
            { required: true },
          ),
          single('wait_appointment', 'How long did you wait for an appointment?', [
            'I was seen on the same day',
            '1 to 3 days',
            '4 to 14 days',
            'More than 14 days',
            'I cannot remember',
          ]),
          single('wait_visit', 'How long did you wait on site, after the agreed time?', [
            'Up to 15 minutes',
            '16 to 30 minutes',
            '31 to 60 minutes',
            'More than an hour',
            'I had no agreed time',
          ]),
        ]),
        page('During the visit', [
          grid(
            'staff',
            'How would you rate the following?',
            [...QUALITY, 'Does not apply'],
            [
              'Friendliness of the reception',
              'Being listened to',
              'Explanations of the treatment',
              'Being involved in decisions',
              'Privacy',
              'Cleanliness',
            ],
            { required: true },
          ),
          single('questions', 'Did you have enough time to ask your questions?', [
            'Yes, fully',
            'Partly',
            'No',
            'I had no questions',
          ]),
          single('next', 'Do you know what happens next, and whom you can contact?', ['Yes, fully', 'Partly', 'No']),
        ]),
        page('Overall', [
          single('overall', 'Overall, how would you rate your visit?', QUALITY, { required: true }),
          paragraph('good', 'What was good?'),
          paragraph('improvement', 'What could we do better?'),
          section(
            'urgent',
            'Do you need medical help?',
            'This survey is not read immediately. Please call the practice or the emergency number.',
          ),
        ]),
      ],
    },
  },
  {
    id: 'visitor-feedback',
    name: 'Visitor feedback',
    description: 'For visitors of a museum, a library or an attraction. Asks why they came, and how it was.',
    category: 'Health and culture',
    languages: ['en', 'de'],
    structure: {
      title: 'How was your visit?',
      form: [
        page(undefined, [
          single(
            'visits',
            'How often have you been here before?',
            ['This was my first visit', 'Once or twice', 'Three times or more'],
            { required: true },
          ),
          multiple(
            'discovery',
            'How did you hear about us?',
            [
              'Friends or family',
              'Website or search engine',
              'Social media',
              'Newspaper, radio or television',
              'Poster or leaflet',
              'I passed by',
              other('In another way'),
            ],
            { condition: is('visits', 0) },
          ),
          single('company', 'With whom did you come?', [
            'Alone',
            'With a partner or friends',
            'With children',
            'With a group',
          ]),
          grid(
            'ratings',
            'How would you rate the following?',
            [...QUALITY, 'Did not use'],
            ['Exhibition or offer', 'Information and signs', 'Staff', 'Accessibility', 'Café', 'Shop'],
          ),
          multiple('obstacles', 'Did anything make your visit difficult?', [
            'Finding the way',
            'Stairs or distances',
            'Texts that were hard to read or understand',
            'Noise or crowds',
            'Opening hours',
            'Prices',
            other('Something else'),
            exclusive('Nothing'),
          ]),
          likelihood('recommendation', 'How likely is it that you would recommend a visit to a friend?', {
            required: true,
          }),
          paragraph('improvement', 'What should we change?'),
        ]),
      ],
    },
  },
]
