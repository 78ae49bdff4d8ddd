// A submit of a review that is killed as soon as it checks what is left: node crash-review.ts ROOT
import { submit } from './review-project.ts';

const [root = ''] = process.argv.slice(2);
await submit(root, { onCommand: () => process.kill(process.pid, 'SIGKILL') });
