import {
  date,
  grid,
  isOneOf,
  likelihood,
  multiple,
  other,
  page,
  paragraph,
  section,
  single,
  yesNo,
} from '../authoring.ts'
import type { GalleryDraft } from '../gallery.ts'
import { AGREEMENT, SATISFACTION } from '../scales.ts'

export const employeeTemplates: readonly GalleryDraft[] = [
  {
    id: 'employee-pulse',
    name: 'Employee pulse',
    description: 'For all employees, every month or quarter. Asks about workload, support and mood in two minutes.',
    category: 'Employees',
    languages: ['en', 'de'],
    structure: {
      title: 'How is work going?',
      description: 'Two minutes. Please do not write names of people in your answers.',
      form: [
        page(undefined, [
          single('satisfaction', 'How satisfied or dissatisfied are you with your work at the moment?', SATISFACTION, {
            required: true,
          }),
          grid(
            'statements',
            'Thinking of the last month, how much do you agree or disagree with these statements?',
            AGREEMENT,
            [
              'I know what is expected of me.',
              'I have what I need to do my work well.',
              'I can finish my work in my working hours.',
              'I get useful feedback on my work.',
              'I can say what I think without fear of consequences.',
              'My manager supports me.',
            ],
            { required: true },
          ),
          single(
            'workload',
            'How was your workload in the last month?',
            ['Much too low', 'Too low', 'About right', 'Too high', 'Much too high'],
            { required: true },
          ),
          paragraph('cause', 'What causes the high workload?', {
            condition: isOneOf('workload', [3, 4]),
          }),
          likelihood('recommendation', 'How likely is it that you would recommend us as an employer?', {
            required: true,
          }),
          paragraph('improvement', 'What is one thing that we should change?'),
        ]),
      ],
    },
  },
  {
    id: 'exit-interview',
    name: 'Exit interview',
    description: 'For employees who leave the organisation. Asks for their reasons, and what would have kept them.',
    category: 'Employees',
    languages: ['en', 'de'],
    structure: {
      title: 'Before you leave',
      description: 'Your answers are confidential. They are reported only together with those of other people.',
      form: [
        page('Your decision', [
          date('last_day', 'When is your last working day?'),
          multiple(
            'reasons',
            'What are the main reasons why you leave?',
            [
              'Salary and benefits',
              'Opportunities for development',
              'The work itself',
              'Workload or stress',
              'Working hours or place of work',
              'Relationship with my manager',
              'Relationship with colleagues',
              'Culture of the organisation',
              'Health',
              'Family or a move',
              'Retirement',
              'My contract ends',
              other('Another reason'),
            ],
            { required: true, maxSelected: 3 },
          ),
          paragraph('explanation', 'Please explain your reasons, if you like.'),
          single('retention', 'Could we have done something to keep you?', ['Yes', 'Perhaps', 'No'], {
            required: true,
          }),
          paragraph('what', 'What could we have done?', {
            condition: isOneOf('retention', [0, 1]),
          }),
        ]),
        page('Your time with us', [
          grid('statements', 'How much do you agree or disagree with these statements?', AGREEMENT, [
            'My work made good use of my abilities.',
            'I had opportunities to develop.',
            'I was paid fairly for my work.',
            'I received recognition for good work.',
            'I was treated with respect.',
            'I could balance work and private life.',
          ]),
          paragraph('best', 'What did you value most here?'),
          paragraph('improvement', 'What should we change for those who stay?'),
        ]),
        page('The future', [
          likelihood('recommendation', 'How likely is it that you would recommend us as an employer?'),
          single('return', 'Would you consider working here again?', ['Yes', 'Perhaps', 'No']),
          yesNo('talk', 'Would you like to talk about your answers with the human resources team?'),
          section('thanks', 'Thank you for your work', 'We wish you all the best.'),
        ]),
      ],
    },
  },
]
