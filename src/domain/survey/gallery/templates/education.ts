import { grid, line, number, page, paragraph, section, single } from '../authoring.ts'
import type { GalleryDraft } from '../gallery.ts'
import { AGREEMENT, QUALITY } from '../scales.ts'

export const educationTemplates: readonly GalleryDraft[] = [
  {
    id: 'course-evaluation',
    name: 'Course evaluation',
    description: 'For students near the end of a course. Asks about content, teaching, workload and learning.',
    category: 'Education',
    languages: ['en', 'de'],
    structure: {
      title: 'Course evaluation',
      description: 'Your answers do not affect your grade. Teachers see the results after all grades are published.',
      form: [
        page('The course', [
          line('course', 'Name or number of the course', { required: true }),
          single(
            'attendance',
            'How much of the course did you attend?',
            ['Less than a quarter', 'A quarter to a half', 'Half to three quarters', 'More than three quarters'],
            { required: true },
          ),
          grid(
            'content',
            'How much do you agree or disagree with these statements about the course?',
            AGREEMENT,
            [
              'The aims of the course were clear.',
              'The course was well organised.',
              'The material helped me to learn.',
              'The assessment matched what was taught.',
              'I learned something that I can use.',
            ],
            { required: true },
          ),
        ]),
        page('The teaching', [
          grid(
            'teaching',
            'How much do you agree or disagree with these statements about the teaching?',
            AGREEMENT,
            [
              'The teacher explained things clearly.',
              'The teacher encouraged questions.',
              'I received feedback that helped me.',
              'All students were treated with respect.',
            ],
            { required: true },
          ),
          single(
            'difficulty',
            'How difficult was the course for you?',
            ['Much too easy', 'Too easy', 'About right', 'Too difficult', 'Much too difficult'],
            { required: true },
          ),
          number('hours', 'How many hours a week did you work for the course outside of class?', {
            min: 0,
            max: 80,
          }),
          single('overall', 'Overall, how would you rate the course?', QUALITY, { required: true }),
        ]),
        page('Your comments', [
          section('note', 'Please do not write names of students in your comments.'),
          paragraph('keep', 'What should stay as it is?'),
          paragraph('change', 'What should change?'),
        ]),
      ],
    },
  },
]
