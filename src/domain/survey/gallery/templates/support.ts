import { isOneOf, other, page, paragraph, single } from '../authoring.ts'
import type { GalleryDraft } from '../gallery.ts'
import { EASE } from '../scales.ts'

export const supportFeedback: GalleryDraft = {
  id: 'support-feedback',
  name: 'Customer support feedback',
  description:
    'For customers after a support request is closed. Asks whether the request was solved, and how easy it was to get help.',
  category: 'Customers',
  languages: ['en', 'de'],
  structure: {
    title: 'Your support request',
    description: 'Three short questions about the help that you received.',
    form: [
      page(undefined, [
        single('solved', 'Was your request solved?', ['Yes, completely', 'Partly', 'No'], { required: true }),
        paragraph('open', 'What is still open?', {
          condition: isOneOf('solved', [1, 2]),
        }),
        single('ease', 'How easy or difficult was it to get help?', EASE, { required: true }),
        single('channel', 'How did you contact us?', ['Email', 'Telephone', 'Chat', 'In person', other()]),
        paragraph('comment', 'Is there anything else that you would like to tell us?'),
      ]),
    ],
  },
}
