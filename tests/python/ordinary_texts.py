"""Ordinary texts of developers, none with a secret, many of which look as if they had one."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ebbing.project import CHECKOUT
from secret_corpus import made_up

# About passwords, keys and tokens
PROSE = """\
I forgot my password, can you reset it?
The password is wrong, please try again.
Your password must be at least 12 characters long and contain a digit.
The password is stored as a bcrypt hash, never in plain text.
Passwords are hashed with Argon2id and a per-user salt.
Never put a password into the repository; use the vault.
The password field is required.
Password reset emails are sent from the worker.
The password policy was changed last week to require 16 characters.
We should rotate the database password every 90 days.
The password manager we use is 1Password.
The default password policy is too weak.
Is the password case sensitive?
The password was changed yesterday and nobody told me.
Add a test for the password-less login.
Passwordless login is planned for Q3.
password_hash is computed in users/models.py.
The password column is varchar(255) and not null.
Set the password in the environment, not in the config file.
Ask Anna for the wifi password.
The wifi password is on the whiteboard.
Please don't paste passwords into the chat.
PASSWORD is read from os.environ in settings.py.
if not check_password(user.password, form.password): raise Forbidden
def reset_password(self, token: str, new_password: str) -> None:
password: Optional[str] = None
password = getpass.getpass("Password: ")
password=os.environ["DB_PASSWORD"]
password: ${DB_PASSWORD}
DB_PASSWORD=${DB_PASSWORD:?must be set}
export PGPASSWORD="$(vault kv get -field=password secret/db)"
mysql -u root -p app
mysql -h db -P 3306 -u root -p
curl -u "$USER:$PASS" https://api.example.com
curl -u user https://api.example.com
sshpass -f ~/.pass ssh host
docker login -u me --password-stdin
The secret to good tests is small fixtures.
The secret ingredient is paprika.
Kubernetes secrets are only base64 encoded.
The secret is mounted at /var/run/secrets/db.
secretName: my-app-secret-2024
secretKeyRef: {name: db-credentials, key: password}
A token bucket with a burst of 100 tokens per minute.
The token limit is 4096, so max_tokens=4096.
The tokenizer splits on whitespace and punctuation.
The access token expires after 15 minutes.
The refresh token is stored in an httpOnly cookie.
const token = await getToken({ audience: "api" })
token = request.headers["Authorization"].split(" ")[1]
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
curl -H "Authorization: Bearer ${TOKEN}" https://api.example.com
The bearer token authentication scheme is described in RFC 6750.
The primary key is user_id and the foreign key is order_id.
The key insight is that the cache key must include the locale.
The cache key is user:42:profile.
API keys are created in the dashboard under Settings.
The api key is missing in the CI environment.
api_key: "YOUR_API_KEY_HERE"
OPENAI_API_KEY=your-api-key-here
Set OPENAI_API_KEY before you run the script.
api_key = config["api_key"]
key = "user_profile_cache_v2"
keyboard shortcuts are documented in docs/keys.md
The encryption key is rotated by KMS.
ssh-keygen -t ed25519 -f ~/.ssh/id_deploy
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB0nL1c5p4Zr0mVq3kq7f3s6v1o0a2b3c4d5e6f7g8h me@laptop
The public key is in authorized_keys.
Cookies are set with SameSite=Lax.
Cookie: theme=dark; lang=en
Set-Cookie: locale=en-GB; Path=/
Press the pin on the back of the router.
GPIO pin 18 is the PWM output.
Pin the version: pin: 1.2.3
The error code is 404 and the exit code is 137.
The status code was 503 for 12 minutes.
Zip code 90210, area code 415.
The login page redirects to /home after 3 seconds.
Log in with your GitHub account.
The user is admin/owner of the project.
login: users/new.html
Test users: alice, bob and carol.
First pass: 120ms, second pass: 80ms.
All 412 tests pass in 38s.
This will pass: assert len(rows) == 3
Let me pass this to the handler.
The mnemonic for the order of operations is PEMDAS.
Use a seed of 42 for the random generator.
Recovery from backup takes 20 minutes.
The credentials file is ~/.aws/credentials.
Credentials are read from the instance profile.
It works with every account: personal, team and enterprise.
He said that this must have been there before they went into town when everyone had gone home.
word word word word word word word word word word word word word word word word
The <private> tag hides what you don't want to be remembered; the rest stays.
Write `<private>` before and `</private>` after it.
postgres://localhost:5432/app
postgres://user:<password>@localhost/app is the example in the docs.
redis://cache:6379/0
https://example.com:8443/path@v2/file
git@github.com:team/repo.git
https://user@git.example.com/team/repo.git
The sentence about bearer of bad news.
sk-learn is not the name; it's scikit-learn.
The task-1234567890123456 was done by worker-7f8c9d.
AKIA is the prefix of AWS access keys.
ghp_ is how personal access tokens begin.
我忘记密码了，怎么重置？
密码长度至少是12位，要有数字。
密码使用bcrypt加密存储。
密码错误，请重新输入。
密码管理器用的是1Password。
密码学是一门有趣的学科。
密码输入框要加上眼睛图标。
密码策略改成了90天过期。
数据库密码放在环境变量DB_PASSWORD里。
密码字段不能为空。
修改密码的接口是 POST /api/v1/password。
口令红包是什么？
登录口令的有效期是30天。
令牌桶算法每秒生成100个令牌。
这个接口需要令牌才能访问。
密钥管理用KMS，算法是AES-256。
密钥长度是2048位。
私钥不要提交到仓库。
公钥在authorized_keys里。
验证码是用Redis存的，5分钟过期。
验证码发送接口限流是每分钟10次。
账号体系要支持SSO登录。
用户名和密码都是必填项。
我们的账号和密码都存在Vault里。
门禁系统下周三升级。
""".splitlines()

SHAPES = """\
commit {h40}
fixes {h7} and reverts {h8}
sha256:{h64}
"integrity": "sha512-{b86}=="
md5 {h32}  build/app.js
request id {U}
trace_id={h32} span_id={h16}
"id": "{U}",
session {U} was resumed
etag: "{h32}"
docker pull registry.example.com/app@sha256:{h64}
image: app:{h12}
node_modules/.cache/{h20}/index.js
data:image/png;base64,iVBORw0KGgo{b120}
<img src="data:image/gif;base64,R0lGODlh{b80}">
![shot](data:image/jpeg;base64,/9j/{b100})
url(data:font/woff2;base64,d09GMgABAAAA{b90})
com.example.{l12}.{l10}.AbstractSingletonProxyFactoryBean
theVeryLongIdentifierOfSomething{l10}ButStillAnIdentifier
def test_{l8}_{l10}_{l7}_{l9}_{l6}():
arn:aws:s3:::bucket-{a12}/prefix/{d8}
s3://bucket/{h32}/part-{d5}.parquet
pod web-{a10}-{a5} restarted
i-{h17} is healthy
vpc-{h17} subnet-{h17}
mem_{h16} superseded mem_{h16}
msg_{h16}
0x{h40} is the contract's address
bc1q{a38}
gid://app/Order/{d12}
order no. {d10}, invoice {d8}
+49 30 {d8}
ISBN 978-3-16-{d6}-0
{d4}-12-01T0{d1}:12:33.{d6}Z worker {d4} done in {d3} ms
192.168.{d2}.{d1}:{d4}
version 1.{d1}.{d2}-rc.{d1}+build.{h7}
https://example.com/watch?v={w11}
https://docs.example.com/d/{w44}/edit
https://example.com/a/b?utm_source={l6}&page={d2}&ref={h8}
https://cdn.example.com/{h32}/main.{h8}.js
ulid 01{u24}
"cursor": "{b40}=="
-----BEGIN| CERTIFICATE-----\\nMIID{b60}\\n-----END| CERTIFICATE-----
ssh-rsa AAAAB3NzaC1yc2E{b80} me@host
gpg key {h16} expires soon
Bump {l8} from {d1}.{d2}.{d1} to {d1}.{d2}.{d1}
color: #{h6}; background: #{h6}
if x{d1} == y{d1}: return z{d2}
assert result == "{h24}"
key: {l8}-{l6}
token_count: {d5}
tokens_used={d5}
cache_key = f"{l6}:{{user_id}}:v{d1}"
partition_key={l6}_{d2}
primary key ({l6}_id)
user_id={d6} order_id={d8}
{l6}_{l8}_{l5}_{d2}
{A8}
{h8}
""".splitlines()


def ordinary_texts() -> list[str]:
    """Every text: prose, what machines write, and this project's own documents."""
    return [*PROSE, *_machines(), *_documents()]


def _machines() -> Iterator[str]:
    for shape in SHAPES:
        for seed in ("one", "two", "three"):
            text = made_up(shape.replace("{{", "{ ").replace("}}", " }"), seed=seed)
            yield text
            yield f"{random.Random(text).choice(['See', 'I saw', '日志里有'])} {text}"


def _documents() -> Iterator[str]:
    for file in sorted([*CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("python/ebbing/*/*.py")]):
        if "safety" not in file.parts:
            passages = file.read_text("utf-8").split("\n\n")
            yield from (passage for passage in passages if len(passage) > 60)
