import {
  email,
  exclusive,
  grid,
  is,
  isOneOf,
  likelihood,
  line,
  multiple,
  other,
  page,
  paragraph,
  section,
  single,
  yesNo,
} from '../authoring.ts'
import type { GalleryDraft } from '../gallery.ts'
import { LENGTH, QUALITY, SATISFACTION } from '../scales.ts'

export const eventTemplates: readonly GalleryDraft[] = [
  {
    id: 'event-feedback',
    name: 'Event feedback',
    description:
      'For participants after a conference, a workshop or a fair. Asks about content, organisation and venue.',
    category: 'Events',
    languages: ['en', 'de'],
    structure: {
      title: 'How was the event?',
      description: 'Thank you for taking part. This takes about three minutes.',
      form: [
        page(
          undefined,
          [
            single('attendance', 'How did you take part?', ['On site', 'Online', 'I did not take part'], {
              required: true,
            }),
          ],
          { skip: [{ when: is('attendance', 2), to: 4 }] },
        ),
        page('The event', [
          single('overall', 'Overall, how would you rate the event?', QUALITY, { required: true }),
          grid('ratings', 'How would you rate the following?', QUALITY, [
            'Relevance of the topics',
            'Quality of the talks and sessions',
            'Opportunities to meet people',
            'Information before the event',
          ]),
          grid('venue', 'And on site?', QUALITY, ['Venue', 'Accessibility', 'Food and drinks'], {
            condition: is('attendance', 0),
          }),
          grid('online', 'And online?', QUALITY, ['Sound and picture', 'Ways to ask questions'], {
            condition: is('attendance', 1),
          }),
          single('length', 'How was the length of the event?', LENGTH),
        ]),
        page(
          'Your comments',
          [
            paragraph('best', 'What was most useful for you?'),
            paragraph('improvement', 'What should we do differently next time?'),
            likelihood(
              'recommendation',
              'How likely is it that you would recommend this event to a friend or colleague?',
              { required: true },
            ),
          ],
          { skip: [{ to: 'complete' }] },
        ),
        page('We missed you', [
          multiple('reasons', 'Why did you not take part?', [
            'I had no time',
            'The topics did not fit',
            'The place was too far away',
            'It was too expensive',
            'I was ill',
            other('Another reason'),
          ]),
        ]),
      ],
    },
  },
  {
    id: 'event-registration',
    name: 'Event registration',
    description: 'For people who want to take part in an event. Collects names, sessions, meals and special needs.',
    category: 'Events',
    languages: ['en', 'de'],
    structure: {
      title: 'Registration',
      description: 'Please register each person separately.',
      form: [
        page('About you', [
          line('name', 'Full name', { required: true }),
          email('email', 'Email address', {
            required: true,
            description: 'We send your confirmation to this address.',
          }),
          line('organisation', 'Organisation'),
          line('phone', 'Telephone number', { kind: 'phone', description: 'Only for changes at short notice.' }),
        ]),
        page('Your participation', [
          single('mode', 'How will you take part?', ['On site', 'Online'], { required: true }),
          multiple('days', 'On which days will you take part?', ['First day', 'Second day'], { required: true }),
          single('meal', 'Which meal would you like?', ['Vegetarian', 'Vegan', 'With meat or fish', 'No meal'], {
            condition: is('mode', 0),
            required: true,
          }),
          line('allergies', 'Do you have any food allergies or intolerances?', { condition: is('mode', 0) }),
          paragraph('needs', 'Is there anything that we can do to make the event accessible for you?', {
            description: 'For example sign language interpretation, step-free access or a quiet room.',
          }),
        ]),
        page('Privacy', [
          section(
            'privacy',
            'How we use your data',
            'We use your data to organise this event, and delete it three months afterwards.',
          ),
          multiple('consent', 'Your consent', ['I agree that my data is used to organise this event.'], {
            required: true,
          }),
          yesNo('news', 'May we inform you about future events by email?'),
        ]),
      ],
    },
  },
  {
    id: 'workshop-feedback',
    name: 'Training feedback',
    description:
      'For participants after a training or workshop. Asks about level and pace, and whether they will use what they learned.',
    category: 'Events',
    languages: ['en', 'de'],
    structure: {
      title: 'Feedback on the training',
      form: [
        page(undefined, [
          single('satisfaction', 'Overall, how satisfied or dissatisfied are you with the training?', SATISFACTION, {
            required: true,
          }),
          single(
            'level',
            'How was the level of the training for you?',
            ['Much too easy', 'Too easy', 'About right', 'Too difficult', 'Much too difficult'],
            { required: true },
          ),
          single('pace', 'How was the pace?', [
            'Much too slow',
            'Too slow',
            'About right',
            'Too fast',
            'Much too fast',
          ]),
          multiple('useful', 'Which parts helped you to learn?', [
            'Presentations',
            'Exercises',
            'Discussions',
            'Written material',
            other('Another part'),
            exclusive('None of these'),
          ]),
          single('use', 'Will you use what you learned within the next month?', [
            'Definitely not',
            'Probably not',
            'Perhaps',
            'Probably',
            'Definitely',
          ]),
          paragraph('obstacle', 'What could keep you from using it?', {
            condition: isOneOf('use', [0, 1, 2]),
          }),
          paragraph('improvement', 'What should we change before the next training?'),
        ]),
      ],
    },
  },
]
