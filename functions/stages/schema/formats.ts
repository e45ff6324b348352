// Formats of CRD schemas, as the API server's validator reads them (k8s.io/kube-openapi/pkg/validation/strfmt).

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/;
const INT64 = 2 ** 63;

export const formats = {
  /** Numbers are whole already; beyond 64 bits the API server has a float in its hands and refuses it. */
  int64: { type: 'number', validate: (value: number): boolean => value >= -INT64 && value < INT64 },
  'date-time': (text: string): boolean => {
    const [day = '', time = ''] = text.toLowerCase().split('t'); // and what follows a second "t" is not looked at there
    const [, hour, minute = '', second = ''] = TIME.exec(time) ?? [];
    return hour !== undefined && hour <= '23' && minute <= '59' && second <= '59' && isDate(day);
  },
};

function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = (DATE.exec(text) ?? []).map(Number);
  const february = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return day >= 1 && day <= ([31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0);
}
