import { Canvass } from 'canvass-client'

// It reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
const { v3 } = new Canvass()
// Row by row while it is sent, however many there are.
const query = { _completed: ['1'], include_labels: true }
for await (const record of v3.csvRecords({ path: { survey_id: 14 }, query })) console.log(record._id, record.q1)
